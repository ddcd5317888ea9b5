import { bundlePrograms } from '../build/programs.ts'

/** Tests start programs as they are after `npm ci`: from bundles, made again of sources that have changed since. */
export const setup = (): Promise<void> => bundlePrograms()
