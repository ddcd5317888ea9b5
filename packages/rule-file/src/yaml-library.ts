import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let loaded: typeof import('yaml') | undefined

/** The YAML parser and writer, loaded on first use: 70 modules that servers with JSON files do not need. */
export function yamlLibrary(): typeof import('yaml') {
  return (loaded ??= require('yaml') as typeof import('yaml'))
}
