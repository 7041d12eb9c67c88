#!/bin/sh
# breaks: rows
# One of its rows has no id.
echo '{"id":1,"name":"build"}'
echo '{"name":"test"}'
while sleep 0.2; do
  echo '{"id":1,"name":"build"}'
done
