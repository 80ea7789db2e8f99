terraform import kalypso_commit_status.applied \
  "https://github.com/contoso/control-plane@0123456789abcdef0123456789abcdef01234567/kalypso/dev"
