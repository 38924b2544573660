/** How partitions are named, for instance "p0"; no colon and no slash, so that ids made of a name and more stay unambiguous. */
export const PARTITION = /^[a-z0-9][a-z0-9-]{0,31}$/;
