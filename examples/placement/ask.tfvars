# terraform console -var-file=ask.tfvars
ask = "south-7"
