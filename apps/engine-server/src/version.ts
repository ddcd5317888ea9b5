import { isObject, jsonValue } from '@engine/expression'
import { packageFile } from '@engine/process'
import { readFileSync } from 'node:fs'

const manifest = jsonValue(readFileSync(packageFile(import.meta.url, 'package.json'), 'utf8'))

/** Version of this program: `--version`, `/health`, `engine_info`. */
export const VERSION = isObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : ''
