#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine-verify', 'engine-tools', 'verify', 2)
