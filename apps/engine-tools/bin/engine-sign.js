#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine-sign', 'engine-tools', 'sign', 2)
