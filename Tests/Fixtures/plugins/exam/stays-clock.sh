#!/bin/sh
# breaks: stays
# It cannot bear that the machine has slept.
trap 'exit 4' CONT
while :; do
  echo '{"id":"load","minute":0.5}'
  sleep 0.2
done
