#!/bin/sh
# breaks: end
# It ignores SIGTERM.
trap '' TERM
while :; do
  echo '{"id":"load","minute":0.5}'
  sleep 0.2
done
