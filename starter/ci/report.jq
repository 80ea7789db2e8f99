# Makes the report of one environment from the lines of terraform plan -json: {environment, line, codes, failed, markdown}.
# The variables are the name of the environment, a note, the exit code of the plan, the folders of the fleet,
# and the lines of the apply before it, whose messages are not new. Without anything new, markdown is empty.

# fit($bytes; $what): the texts that fit into so many bytes, and how many do not.
def fit($bytes; $what):
  reduce .[] as $text ({text: "", left: 0};
    if .left == 0 and (.text + $text | utf8bytelength) < $bytes then .text += $text + "\n" else .left += 1 end)
  | .text + if .left > 0 then "(left out: \(.left) more \($what). The log of the job has them)\n" else "" end;

# A fence has more backquotes than any text between, so that no text of the fleet can end it.
def fenced:
  gsub("`{20,}"; "(backquotes)")
  | ("`" * ([3, (scan("`+") | length + 1)] | max)) as $fence
  | if . == "" then "" else "\n\($fence)diff\n\(.)\($fence)\n" end;

def messages:
  fromjson? | objects | select(.type == "diagnostic").diagnostic
  | {severity, summary, wave: (.address // "" | capture("this\\[\"(?<name>.*)\"\\]$").name? // "all"), lines: (reduce $folders[] as $f (.detail; split($f) | join("fleet/")) | split("\n") | map(ltrimstr(" ")))};

[inputs | messages] | sort_by(.wave) # Terraform reports waves in any order
| map(select(.summary | startswith("Planned change: "))) as $changes # one for each wave
| (. - $changes - [$before | split("\n")[] | messages]) as $new
| map(select(.severity == "error").lines | join("\n")) as $errors
| ([(. - $changes)[].lines | join("\n") | scan("acknowledge = \\[[^]]*\\]") | scan("[0-9a-f]{32}")] | unique) as $codes
| ([$errors[] | select(contains("acknowledge = "))] | length) as $liftable
| ($result != "0" and ($errors == [] or $liftable < ($errors | length))) as $failed
| [$changes[].lines[1:] | (index("") // 0) as $blank # between the summary and the diff
    | {summary: .[:$blank], files: ("\n" + (.[$blank:] | join("\n")) | split("\ndiff --git "))}] as $parts
| [$parts[].summary[] | select(test("^(DELETES DATA|REFUSED|STOPS|REPLACES|ORPHANED) on |^and [0-9]+ more$"))] as $clusters
| {$environment, $codes, $failed, line: ([$changes[] | (if .wave == "all" then "" else .wave + ": " end) + .lines[0]] | join(", ") | if . == "" then "no change" else . end)}
| .line += if any($clusters[]; startswith("DELETES")) then ", **deletes data**" else "" end
| .line += if $failed then ". **The plan fails**" elif $codes != [] then ", **beyond the limits**" else "" end
| .markdown = if $changes + $new == [] and ($failed | not) then "" else
    "### \($environment): \(.line)\n"
    + ($clusters | fit(4000; "lines") | fenced)
    + if $note == "" then "" else "\n\($note)\n" end
    + ([$new[] | "\(.severity): \(.summary)", .lines[]] | fit(8000; "lines") | fenced)
    + ([$parts[].summary[]] - $clusters | fit(12000; "lines") | fenced)
    + (([$parts[].files[0] | split("\n")[] | select(. != "")] | fit(4000; "lines")) as $text
      | $text + ([$parts[].files[1:][] | "diff --git " + .] | fit(30000; "files")) | fenced)
  end
