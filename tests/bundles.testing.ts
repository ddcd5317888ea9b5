import { bundlePrograms } from '../build/programs.ts'

/** Tests start programs the way `npm ci` leaves them: from bundles, which are rebuilt when their sources have changed. */
export const setup = (): Promise<void> => bundlePrograms()
