#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine-compile', 'engine-tools', 'compile', 2)
