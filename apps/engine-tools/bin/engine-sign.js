#!/usr/bin/env -S node --disable-proto=delete
import { requireNode } from './require-node.js'

requireNode('engine-sign')
await import('../src/sign.ts')
