import { killAll } from '../engine-server.testing.ts'
import { runChecks } from '../checks.testing.ts'
import type { Check } from './check.ts'
import { HTTP_EXAMPLES } from './examples.ts'
import { FUZZ } from './fuzz.ts'
import { GRPC_EXAMPLES, NATS_READER } from './grpc-examples.ts'
import { GENERATED } from './generated/generated.ts'
import { PLATFORM_FUZZ } from './platform/fuzz.ts'
import { PLATFORM_GENERATED } from './platform/generated.ts'
import { LINTERS } from './linters.ts'
import { STANDARDS } from './standards/standards.ts'

/**
 * Drives servers of this repository with the clients and tools of others, and prints a line for each: the result, the failure,
 * or why it was omitted. `npm run test:clients go` runs those whose name contains `go`. With `MINUTES=8`,
 * checks that take longer are omitted.
 */
const CHECKS: readonly Check[] = [
  ...LINTERS,
  ...GENERATED,
  ...HTTP_EXAMPLES,
  ...GRPC_EXAMPLES,
  NATS_READER,
  ...STANDARDS,
  ...FUZZ,
  ...PLATFORM_GENERATED,
  PLATFORM_FUZZ,
]

/** Most of a check is waiting for a compiler that uses one core or a registry. */
const CONCURRENCY = 2

try {
  await runChecks(CHECKS, process.argv.slice(2), CONCURRENCY)
} finally {
  await killAll()
}
