export { runHelpersBehind, runProcessBehind, runThreadBehind } from './priority.ts'
