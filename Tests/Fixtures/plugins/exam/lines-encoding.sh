#!/bin/sh
# breaks: lines
# It writes Latin-1.
printf '{"id":"M\374nchen","trains":4}\n'
while :; do
  echo '{"id":"Ulm","trains":2}'
  sleep 0.2
done
