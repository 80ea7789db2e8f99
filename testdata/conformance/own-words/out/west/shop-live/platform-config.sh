
export EMPTY=""
export FLUX="1.2.3"
export HANDLER="HTTPServer_pool"
export INTERVAL="08"
export MODE="0777"
export NUMBER="5"
export PORTS=[1,"x"]
export PROVIDER=" \"'azure'\" "
export REPLICAS="3.0"
export TITLE="Everywhere"
