#!/usr/bin/env -S node --disable-proto=delete
import { requireNode } from './require-node.js'

requireNode('engine-keygen')
await import('../src/keygen.ts')
