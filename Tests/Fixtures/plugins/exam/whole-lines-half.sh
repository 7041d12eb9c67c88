#!/bin/sh
# breaks: whole-lines
# It ends in the middle of a line.
echo '{"id":1,"name":"build"}'
printf '{"id":2,"na'
