#!/bin/sh
# Never answers.
exec sleep 1000
