#!/usr/bin/env -S node --disable-proto=delete
import { requireNode } from './require-node.js'

requireNode('engine-compile')
await import('../src/compile.ts')
