#!/bin/sh
# breaks: whole-lines
# It writes the end of a line only with the next one.
printf '{"id":"load","minute":0.5}'
while sleep 60; do
  printf '\n{"id":"load","minute":0.5}'
done
