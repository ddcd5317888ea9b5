#!/usr/bin/env -S node --disable-proto=delete
import { launch } from './launch.js'

await launch('engine', '../src/engine.ts')
