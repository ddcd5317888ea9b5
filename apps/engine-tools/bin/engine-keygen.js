#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine-keygen', 'engine-tools', 'keygen', 2)
