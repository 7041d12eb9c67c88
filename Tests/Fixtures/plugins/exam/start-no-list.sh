#!/bin/sh
# breaks: start
# It introduces itself, and then tells nothing.
echo '{"type":"hello","version":1,"capabilities":["health"]}'
read -r hello
read -r configure
echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"name","type":"text"},{"name":"done","type":"number"}]}'
while read -r line; do
  case $line in
    *'"type":"health"'*) echo '{"type":"health"}' ;;
  esac
done
