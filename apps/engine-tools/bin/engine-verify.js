#!/usr/bin/env -S node --disable-proto=delete
import { requireNode } from './require-node.js'

requireNode('engine-verify')
await import('../src/verify.ts')
