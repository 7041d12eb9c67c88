#!/bin/sh
# breaks: nothing
# It refuses a setting that it does not know, and says why.
echo '{"type":"hello","version":1,"capabilities":["health"]}'
read -r hello
read -r configure
case $configure in
  *rowcast-exam*)
    echo '{"type":"refuse","setting":"rowcast-exam","reason":"unknown setting"}'
    ;;
  *)
    echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"name","type":"text"},{"name":"done","type":"number"}]}'
    echo '{"type":"reload"}'
    echo '{"type":"upsert","rows":[[1,"build",40],[2,"test",0],[3,"deploy",null]]}'
    echo '{"type":"commit"}'
    ;;
esac
while read -r line; do
  case $line in
    *'"type":"health"'*) echo '{"type":"health"}' ;;
  esac
done
