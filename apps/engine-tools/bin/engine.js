#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

await launch('engine', 'engine-tools', 'engine', 2)
