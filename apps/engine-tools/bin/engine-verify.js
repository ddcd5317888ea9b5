#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

// The name of the specification for `engine verify`.
process.argv.splice(2, 0, 'verify')
await launch('engine-verify', 'engine-tools', 'engine', 2)
