#!/bin/sh
# Silence.
