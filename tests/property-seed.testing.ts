import fc from 'fast-check'
import { SEED } from './cases.testing.ts'

// Properties that state no seed take that of the run: fixed on build servers, and printed where a case fails.
fc.configureGlobal({ seed: SEED })
