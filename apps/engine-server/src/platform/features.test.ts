import { expect, test } from 'vitest'
import { readConfiguration } from '../config/config.ts'
import { featuresOf } from './features.ts'

const LINK = ['--platform-url', 'http://127.0.0.1:1', '--platform-connect-token', 'eng_con_x']

test.each<[options: readonly string[], features: readonly string[]]>([
  [[], ['jit', 'filter', 'grpc']],
  [['--disable-grpc'], ['jit', 'filter']],
  [
    ['--disable-grpc', '--uds-path', '/tmp/engine.sock'],
    ['jit', 'filter', 'grpc'],
  ],
  [
    ['--workers', '4'],
    ['jit', 'filter', 'grpc', 'workers'],
  ],
  [
    ['--workers', '1'],
    ['jit', 'filter', 'grpc'],
  ],
  [['--multi-tenancy-enabled'], ['jit', 'filter', 'grpc', 'tenants']],
  [['--signature-enabled'], ['jit', 'filter', 'grpc', 'signature']],
  [
    ['--signature-enabled', '--signature-require', '--signature-trusted-keys', 'A'.repeat(43) + '='],
    ['jit', 'filter', 'grpc', 'signature', 'signature-required'],
  ],
  [
    [...LINK, '--sample-decisions', '10'],
    ['jit', 'filter', 'grpc', 'recording'],
  ],
])('an engine started with %j has the features %j', (options, features) => {
  const read = readConfiguration(options, {})
  if (read.kind === 'end') throw new Error(read.output)
  expect(featuresOf(read.configuration)).toEqual(features)
})
