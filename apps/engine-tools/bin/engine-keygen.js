#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

// The name of the specification for `engine keygen`.
process.argv.splice(2, 0, 'keygen')
await launch('engine-keygen', 'engine-tools', 'engine', 2)
