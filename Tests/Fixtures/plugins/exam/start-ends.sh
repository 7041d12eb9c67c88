#!/bin/sh
# breaks: start
# It ends before it has said anything.
echo "no configuration found" >&2
exit 3
