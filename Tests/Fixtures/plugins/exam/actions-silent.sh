#!/bin/sh
# breaks: actions
# It does not answer an action that it does not know.
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
  esac
done
