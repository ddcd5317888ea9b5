#!/usr/bin/env -S node --disable-proto=delete
import { launch } from './launch.js'

await launch('engine-sign', '../src/sign.ts')
