#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

// The name of the specification for `engine sign`.
process.argv.splice(2, 0, 'sign')
await launch('engine-sign', 'engine-tools', 'engine', 2)
