#!/bin/sh
# breaks: start
# It never says anything.
exec cat >/dev/null
