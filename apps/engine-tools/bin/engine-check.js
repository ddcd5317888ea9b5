#!/usr/bin/env -S node --disable-proto=delete
import { launch } from './launch.js'

await launch('engine-check', '../src/check.ts')
