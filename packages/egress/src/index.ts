// Which addresses may be called
export { type HostPattern, parseHostPattern, peerPattern, type Target } from './host-patterns.ts'
export { hostPatterns } from './host-patterns-option.ts'
export { createEgress, type Egress, type EgressPolicy } from './egress.ts'
// Connections
export { createNameLookup, type Resolve } from './name-lookup.ts'
export { EgressRefusal, guardedLookup, portOf, refuseAddress } from './guarded-lookup.ts'
// Limits
export { type CallQueue, createCallQueue, type QueueLimits } from './queue.ts'
// Addresses of others
export { BadWebOrigin, parseWebOrigin } from './web-origin.ts'
