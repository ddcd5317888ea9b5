import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let loaded: typeof import('yaml') | undefined

/** The reader and writer of YAML, loaded when it is first needed: 70 modules that a server with files in JSON does without. */
export function yamlLibrary(): typeof import('yaml') {
  return (loaded ??= require('yaml') as typeof import('yaml'))
}
