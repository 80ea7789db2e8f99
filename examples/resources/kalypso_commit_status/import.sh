# The id is <repo>@<commit>/<context>, with the full id of the commit.
terraform import kalypso_commit_status.shop 'https://github.com/contoso/shop@0123456789abcdef0123456789abcdef01234567/fleet/dev'
