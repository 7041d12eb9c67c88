#!/bin/sh
# breaks: nothing
# Rows, again and again.
while :; do
  echo '{"id":"load","minute":0.5}'
  sleep 0.2
done
