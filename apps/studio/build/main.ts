import { buildStudio } from './build.ts'

await buildStudio()
