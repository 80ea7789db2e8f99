# The id is <repo>@<commit>/<context>, with the full id of the commit.
terraform import kalypso_commit_status.verified 'https://github.com/contoso/control-plane@4f2d9c81b7a6035e9d1c2b3a4958677685940312/kalypso/stage'
