-- Words with their places hardly shrink: pglz takes its time and leaves most of them as they are.
ALTER TABLE "messages" ALTER COLUMN "search" SET STORAGE EXTERNAL;
