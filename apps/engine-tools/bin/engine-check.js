#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine-check', 'engine-tools', 'check', 2)
