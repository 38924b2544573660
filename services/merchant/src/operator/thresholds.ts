/** From which change on a second operator approves; 0 = every change. */
export type Thresholds = { feeSen: bigint; feeBasisPoints: number; limitSen: bigint };
