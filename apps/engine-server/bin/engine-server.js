#!/usr/bin/env -S node --disable-proto=delete --max-semi-space-size=16
import { launch } from '@engine/process/launch'

await launch('engine-server', 'engine-server', 'main', 1)
