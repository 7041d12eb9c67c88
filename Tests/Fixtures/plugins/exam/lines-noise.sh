#!/bin/sh
# breaks: lines
# It greets people where only JSON may stand.
echo "Loading jobs..."
while :; do
  echo '{"id":"build","done":40}'
  sleep 0.2
done
