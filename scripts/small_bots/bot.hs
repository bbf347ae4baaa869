import Data.List (isInfixOf)
import System.Environment (getArgs)

main :: IO ()
main = do
  asked : _ <- getArgs
  let cells = [show (show x ++ show y) | x <- [0 .. 7 :: Int], y <- [0 .. 7 :: Int]]
      free = head (filter (not . (`isInfixOf` asked)) cells)
  putStrLn
    ( if "init" `isInfixOf` asked
        then "{\"2\":{\"point\":\"14\",\"orientation\":\"vertical\"},\"3\":{\"point\":\"05\",\"orientation\":\"vertical\"},\"4\":{\"point\":\"10\",\"orientation\":\"vertical\"},\"5\":{\"point\":\"00\",\"orientation\":\"vertical\"}}"
        else "{\"move\":" ++ free ++ "}"
    )
