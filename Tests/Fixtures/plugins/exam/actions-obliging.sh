#!/bin/sh
# breaks: actions
# It says that it has done whatever it is asked for.
echo '{"type":"hello","version":1,"capabilities":["health"]}'
read -r hello
read -r configure
echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"name","type":"text"},{"name":"done","type":"number"}],"actions":[{"name":"stop","title":"Stop"}]}'
echo '{"type":"reload"}'
echo '{"type":"upsert","rows":[[1,"build",40],[2,"test",0],[3,"deploy",null]]}'
echo '{"type":"commit"}'
while read -r line; do
  case $line in
    *'"type":"health"'*) echo '{"type":"health"}' ;;
    *'"type":"action"'*)
      echo "{\"type\":\"acted\",\"id\":$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')}"
      ;;
  esac
done
