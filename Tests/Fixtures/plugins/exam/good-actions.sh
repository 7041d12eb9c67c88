#!/bin/sh
# breaks: nothing
# An action, and an answer to one that there is not.
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
    *'"action":"stop"'*) echo "{\"type\":\"acted\",\"id\":$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')}" ;;
    *'"type":"action"'*)
      echo "{\"type\":\"acted\",\"id\":$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'),\"error\":\"there is no such action\"}"
      ;;
  esac
done
