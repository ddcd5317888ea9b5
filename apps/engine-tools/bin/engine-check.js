#!/usr/bin/env -S node --disable-proto=delete
import { requireNode } from './require-node.js'

requireNode('engine-check')
await import('../src/check.ts')
