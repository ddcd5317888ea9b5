#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

// The name of the specification for `engine compile`.
process.argv.splice(2, 0, 'compile')
await launch('engine-compile', 'engine-tools', 'engine', 2)
